package bare

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// NewDevices names devices to be created like the one that Like names, with its interfaces.
type NewDevices struct {
	Like  int64    `json:"like"`
	Names []string `json:"names"`
}

// devices writes devices, their interfaces and a change row for each, in one transaction. The rows are copies of those of a device that
// Terrier has written, so nothing is validated and nothing is read but what is copied.
func (s *Server) devices(r *http.Request, in NewDevices) (ids []int64, err error) {
	ctx := r.Context()
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		device, err := tableColumns(ctx, tx, "dcim_device", "name")
		if err != nil {
			return err
		}
		port, err := tableColumns(ctx, tx, "dcim_interface", "device_id")
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, fmt.Sprintf("INSERT INTO dcim_device (name, %[1]s) SELECT n, %[1]s "+
			"FROM dcim_device, unnest($2::text[]) n WHERE id = $1 RETURNING id", device), in.Like, in.Names)
		if err != nil {
			return err
		}
		if ids, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, fmt.Sprintf("INSERT INTO dcim_interface (device_id, %[1]s) SELECT d, %[1]s "+
			"FROM dcim_interface, unnest($2::bigint[]) d WHERE device_id = $1 RETURNING id", port), in.Like, ids)
		if err != nil {
			return err
		}
		ports, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		return s.logDevices(ctx, tx, in.Like, ids, ports)
	})
	return ids, err
}

// logDevices writes the change rows of new devices and interfaces, with texts as long as those of the device that they are like.
func (s *Server) logDevices(ctx context.Context, tx pgx.Tx, like int64, devices, ports []int64) error {
	forms := map[string]*[2]string{"dcim.device": {}, "dcim.interface": {}}
	for of, form := range forms {
		err := tx.QueryRow(ctx, `SELECT postchange, data FROM extras_objectchange WHERE object_type = $1 AND object_id = CASE $1
			WHEN 'dcim.device' THEN $2 ELSE (SELECT min(id) FROM dcim_interface WHERE device_id = $2) END AND action = 'create'`, of, like).
			Scan(&form[0], &form[1])
		if err != nil {
			return err
		}
	}
	n := len(devices) + len(ports)
	types, ids, states, datas := make([]string, 0, n), make([]int64, 0, n), make([]string, 0, n), make([]string, 0, n)
	add := func(of string, all []int64) {
		for _, id := range all {
			types, ids = append(types, of), append(ids, id)
			// Each text is made again, as that of a record would be.
			states, datas = append(states, strings.Clone(forms[of][0])), append(datas, strings.Clone(forms[of][1]))
		}
	}
	add("dcim.device", devices)
	add("dcim.interface", ports)
	_, err := tx.Exec(ctx, `INSERT INTO extras_objectchange (`+changeColumns+`)
		SELECT $1, 1, 'bench', $2, 'create', ot, id, 'a name', 1, NULL, state, data
			FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[]) AS x(ot, id, state, data)`, now(), uuid.New(), types, ids, states, datas)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO record_count (type, n) VALUES ('dcim.device', $1::bigint), ('dcim.interface', $2::bigint),
		('extras.objectchange', $3::bigint)`, len(devices), len(ports), n)
	return err
}

// tableColumns returns the columns of a table that a copy takes over: all but the id and another one.
func tableColumns(ctx context.Context, tx pgx.Tx, table, without string) (columns string, err error) {
	err = tx.QueryRow(ctx, `SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname NOT IN ('id', $2)`, table, without).
		Scan(&columns)
	return columns, err
}
