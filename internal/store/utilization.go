package store

import (
	"cmp"
	"fmt"

	"terrier/internal/record"
)

// Utilization works out per cents: of the blocks that cover a network, or of the hosts and runs in it. Each is a few ranges of an index.
func (s *selector) Utilization(u record.Usage) {
	x := utilization{s, u}
	expr := ""
	switch condition, value := u.Condition(); {
	case u.BlocksIf != "":
		expr = fmt.Sprintf("CASE WHEN %s = '%s' THEN %s ELSE %s END", s.column(condition), value, x.blocks(), x.hosts())
	case u.Blocks != "":
		expr = x.blocks()
	default:
		expr = x.hosts()
	}
	expr = fmt.Sprintf("least(round((100 * %s)::numeric, 1), 100)::float8", expr)
	if full, ok := u.ColumnOf(u.Full); ok {
		expr = fmt.Sprintf("CASE WHEN %s THEN 100::float8 ELSE %s END", s.column(full), expr)
	}
	s.one(expr, readers[record.StoreFloat], decoders[record.StoreFloat])
}

// utilization makes the parts of the expression.
type utilization struct {
	s *selector
	record.Usage
}

// network is the network of the record.
func (x utilization) network() string {
	c, _ := x.ColumnOf(x.Network)
	return x.s.column(c)
}

// ends are the first and the last address of the record.
func (x utilization) ends() (first, last string) {
	if x.Network != "" {
		return "host(" + x.network() + ")::inet", "last_address(" + x.network() + ")"
	}
	start, _ := x.ColumnOf(x.Start)
	end, _ := x.ColumnOf(x.End)
	return x.s.alias + "." + quote(start.Key.Name), x.s.alias + "." + quote(end.Key.Name)
}

// size is how many addresses there are to use.
func (x utilization) size() string {
	if x.Network == "" {
		first, last := x.ends()
		return fmt.Sprintf("(%s - %s + 1)::float8", last, first)
	}
	size := fmt.Sprintf("power(2::float8, CASE family(%[1]s) WHEN 4 THEN 32 ELSE 128 END - masklen(%[1]s))", x.network())
	if pool, ok := x.ColumnOf(x.Pool); ok {
		size = fmt.Sprintf("(%[1]s - CASE WHEN family(%[2]s) = 4 AND masklen(%[2]s) < 31 AND NOT %[3]s THEN 2 ELSE 0 END)", size, x.network(),
			x.s.column(pool))
	}
	return size
}

// mostSteps is from how many blocks on reading all that is inside of a network costs less than going from one block to the next.
const mostSteps = 2000

// lastAddress is what the function last_address returns. PostgreSQL calls the function for each row, which costs more than all the rest.
const lastAddress = "set_masklen(broadcast(%[1]s), CASE family(%[1]s) WHEN 4 THEN 32 ELSE 128 END)"

// blocks is the part of the network that others cover. It goes from one block to the next that is not inside it, so that it reads one
// record for each block however many there are inside. With many blocks it reads all records in their order instead, and leaves out those
// that are inside one before.
func (x utilization) blocks() string {
	of := x.Foreign(x.Blocks)
	begin := ">="
	if of.Of == x.s.t {
		begin = ">"
	}
	return x.owned(func(owner func(alias string, of *record.Type) string) string {
		next := func(after, than string) string {
			is, by := owner("n", of.Of), ""
			if x.Within != "" {
				by = "n." + quote(x.OwnerOf(of.Of).Name) + ", " // the index has the order of both
			}
			return fmt.Sprintf("(SELECT n.%[1]s FROM %[2]s n WHERE %[3]s n.%[1]s %[4]s %[5]s AND n.%[1]s <= last_address(%[6]s) "+
				"ORDER BY %[7]sn.%[1]s LIMIT 1)", quote(of.Name), quote(of.Of.Table()), is, after, than, x.network(), by)
		}
		part := fmt.Sprintf("coalesce(sum(power(2::float8, masklen(%s) - masklen(net))), 0)", x.network())
		walk := fmt.Sprintf("(WITH RECURSIVE block (net, n) AS (SELECT %s, 1 UNION ALL "+
			"SELECT %s, n + 1 FROM block WHERE net IS NOT NULL AND n <= %[3]d) "+
			"SELECT CASE WHEN max(n) <= %[3]d THEN %[4]s END FROM block)", next(begin, x.network()), next(">", "last_address(net)"), mostSteps, part)
		all := fmt.Sprintf("(SELECT %s FROM (SELECT n.%[2]s AS net, max(%[7]s) OVER (ORDER BY n.%[2]s "+
			"ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM %[3]s n "+
			"WHERE %[4]s n.%[2]s %[5]s %[6]s AND n.%[2]s <= last_address(%[6]s)) a WHERE before IS NULL OR net > before)",
			part, quote(of.Name), quote(of.Of.Table()), owner("n", of.Of), begin, x.network(),
			fmt.Sprintf(lastAddress, "n."+quote(of.Name)))
		return "coalesce(" + walk + ", " + all + ")"
	})
}

// hosts is the part of the addresses that are used: by themselves, or because a run covers them.
func (x utilization) hosts() string {
	first, last := x.ends()
	used := x.owned(func(owner func(alias string, of *record.Type) string) string {
		host := x.Foreign(x.Hosts)
		count := func(alias, first, last string) string {
			key := quote(cmp.Or(host.Key.Name, host.Name))
			return fmt.Sprintf("(SELECT count(*) FROM (SELECT DISTINCT %[1]s.%[2]s FROM %[3]s %[1]s WHERE %[4]s %[1]s.%[2]s >= %[5]s "+
				"AND %[1]s.%[2]s <= %[6]s) x)", alias, key, quote(host.Of.Table()), owner(alias, host.Of), first, last)
		}
		all := count("n", first, last)
		if x.Runs[0] == "" {
			return all
		}
		start, end := x.Foreign(x.Runs[0]), x.Foreign(x.Runs[1])
		from, to := "r."+quote(start.Key.Name), "r."+quote(end.Key.Name)
		// The index of the order of runs has this expression.
		mine, _ := x.ColumnOf(x.Within)
		same := orNull("r."+quote(x.OwnerOf(start.Of).Name), firstID) + " = " + orNull(x.s.column(mine), firstID)
		return fmt.Sprintf("(%[1]s + coalesce((SELECT sum(%[2]s - %[3]s + 1 - %[4]s) FROM %[5]s r WHERE %[6]s AND %[3]s >= %[7]s AND "+
			"%[3]s <= %[8]s AND %[2]s <= %[8]s), 0))", all, to, from, count("h", from, to), quote(start.Of.Table()), same, first, last)
	})
	return fmt.Sprintf("%s::float8 / %s", used, x.size())
}

// owned makes an expression over records of other types that have the same owner as this one. It is written once for a record without an
// owner and once for the others, because no index answers both.
func (x utilization) owned(expr func(owner func(alias string, of *record.Type) string) string) string {
	if x.Within == "" {
		return expr(func(string, *record.Type) string { return "" })
	}
	mine, _ := x.ColumnOf(x.Within)
	theirs := func(alias string, of *record.Type) string { return alias + "." + quote(x.OwnerOf(of).Name) }
	return fmt.Sprintf("(CASE WHEN %s IS NULL THEN %s ELSE %s END)", x.s.column(mine),
		expr(func(alias string, of *record.Type) string { return theirs(alias, of) + " IS NULL AND" }),
		expr(func(alias string, of *record.Type) string {
			return theirs(alias, of) + " = " + x.s.column(mine) + " AND"
		}))
}
