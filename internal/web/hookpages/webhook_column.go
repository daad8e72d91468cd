package hookpages

import (
	"fmt"
	"time"

	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/web/chart"
	"terrier/internal/webhookadmin"
)

// standings returns how each of some webhooks stands, as cells of their list.
func standings(_ *web.Visit, rows []record.Values) ([]web.Cell, error) {
	cells := make([]web.Cell, len(rows))
	for i, r := range rows {
		standing := webhookadmin.Standing(r)
		cells[i] = web.Cell{Kind: web.BadgeCell, Text: web.Capital(standing), Color: standing}
	}
	return cells, nil
}

// lastDay returns the requests of the last 24 hours to each of some webhooks, as cells of their list.
func (h webhookPages) lastDay(v *web.Visit, rows []record.Values) ([]web.Cell, error) {
	cells := make([]web.Cell, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID()
	}
	histories, err := h.admin.HistoryOfEach(v.Ctx, v.Caller, ids,
		webhookadmin.HistoryRange{Since: h.site.Now().Add((1 - homeHours) * time.Hour), Step: time.Hour})
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		history := histories[id]
		successful, failed := outcomes(history)
		if successful+failed == 0 {
			cells[i] = web.Cell{Kind: web.EmptyCell}
			continue
		}
		label := fmt.Sprintf("%d successful, %d failed", successful, failed)
		spark := chart.Sparkline(label, ends, periodsOf(history))
		cells[i] = web.Cell{Kind: web.SparkCell, Spark: &spark}
	}
	return cells, nil
}
