package sqlite

import (
	"context"

	"vyre"
)

// UsageBy is what usage is summed by.
type UsageBy string

// What usage can be summed by. A day is one of UTC, by the turn's end.
const (
	UsageByDay     UsageBy = "day"
	UsageByModel   UsageBy = "model"
	UsageByProject UsageBy = "project"
	UsageByThread  UsageBy = "thread"
	UsageByPurpose UsageBy = "purpose"
)

// UsageBys lists every way once.
var UsageBys = []UsageBy{UsageByDay, UsageByModel, UsageByProject, UsageByThread, UsageByPurpose}

// UsageQuery says which turns: those that ended in [Since, Until). 0 is no bound.
type UsageQuery struct {
	By           UsageBy
	Since, Until vyre.Time
	Limit        int // rows; 0: 100; at most 1000
}

// UsageRow is what the turns of one day, model, project, thread or purpose used.
type UsageRow struct {
	Key              string `json:"key"` // 2026-01-31, the model, the folder, the thread's id, the purpose
	Turns            int64  `json:"turns"`
	InputTokens      int64  `json:"input_tokens"`
	OutputTokens     int64  `json:"output_tokens"`
	CacheReadTokens  int64  `json:"cache_read_tokens"`
	CacheWriteTokens int64  `json:"cache_write_tokens"`
	CostMicros       int64  `json:"cost_micros"`
}

// groups is the text that each UsageBy groups by, and the order of its rows.
var groups = map[UsageBy]struct{ key, order string }{
	UsageByDay:     {"strftime('%Y-%m-%d', ended / 1000, 'unixepoch')", "1 DESC"},
	UsageByModel:   {"turns.model", "7 DESC, 1"},
	UsageByProject: {"(SELECT project FROM threads WHERE threads.id = turns.thread)", "7 DESC, 1"},
	UsageByThread:  {"turns.thread", "7 DESC, 1"},
	UsageByPurpose: {"(SELECT purpose FROM threads WHERE threads.id = turns.thread)", "7 DESC, 1"},
}

const usageSums = "count(*), coalesce(sum(turns.input), 0), coalesce(sum(turns.output), 0), coalesce(sum(turns.cache_read), 0)," +
	" coalesce(sum(turns.cache_write), 0), coalesce(sum(turns.cost), 0)" +
	" FROM turns INDEXED BY turns_ended WHERE turns.ended > 0 AND turns.ended >= ? AND turns.ended < ?"

// Usage sums what ended turns used: the newest days first, the others by cost. The
// total is over all of them, whatever the limit. Errors: invalid (by).
func (db *DB) Usage(ctx context.Context, q UsageQuery) (rows []UsageRow, total UsageRow, err error) {
	g, ok := groups[q.By]
	if !ok {
		return nil, UsageRow{}, vyre.Invalid("by", "usage can't be summed by that")
	}
	until := int64(q.Until)
	if until == 0 {
		until = 1<<63 - 1
	}
	total, _, err = one(ctx, db, scanUsage, "SELECT '', "+usageSums, int64(q.Since), until)
	if err != nil {
		return nil, total, err
	}
	rows, err = list(ctx, db, scanUsage, "SELECT "+g.key+", "+usageSums+" GROUP BY 1 ORDER BY "+g.order+" LIMIT ?",
		int64(q.Since), until, int64(pageLimit(q.Limit)))
	return rows, total, err
}

func scanUsage(r scanner) (u UsageRow, err error) {
	return u, r.Scan(&u.Key, &u.Turns, &u.InputTokens, &u.OutputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.CostMicros)
}
