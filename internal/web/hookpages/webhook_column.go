package hookpages

import (
	"fmt"
	"time"

	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/web/chart"
	"terrier/internal/webhookadmin"
)

// lastDay returns the column of the list of webhooks with the requests of the last 24 hours.
func (h webhookPages) lastDay(v *web.Visit, rows []record.Values) (web.OwnColumn, error) {
	column := web.OwnColumn{Label: "Last 24 hours", Cells: make([]web.Cell, len(rows))}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID()
	}
	histories, err := h.admin.HistoryOfEach(v.Ctx, v.Caller, ids,
		webhookadmin.HistoryRange{Since: h.site.Now().Add((1 - homeHours) * time.Hour), Step: time.Hour})
	if err != nil {
		return column, err
	}
	for i, id := range ids {
		history := histories[id]
		successful, failed := outcomes(history)
		if successful+failed == 0 {
			column.Cells[i] = web.Cell{Kind: web.EmptyCell}
			continue
		}
		label := fmt.Sprintf("%d successful, %d failed", successful, failed)
		spark := chart.Sparkline(label, ends, periodsOf(history))
		column.Cells[i] = web.Cell{Kind: web.SparkCell, Spark: &spark}
	}
	return column, nil
}
