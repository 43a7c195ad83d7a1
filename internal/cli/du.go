package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vyre/internal/cli/view"
)

// roomShape is how the room stands, as daemon.status and daemon.du say.
type roomShape struct {
	Level  string `json:"level"`
	Free   int64  `json:"free"`
	Total  int64  `json:"total"`
	Floor  int64  `json:"floor"`
	Used   int64  `json:"used"`
	Budget int64  `json:"budget"`
	Parked int    `json:"parked"`
}

type duOutput struct {
	Uses []struct {
		Class    string `json:"class"`
		Within   string `json:"within"`
		Bytes    int64  `json:"bytes"`
		Count    int    `json:"count"`
		Freeable int64  `json:"freeable"`
		How      string `json:"how"`
	} `json:"uses"`
	Room roomShape `json:"room"`
}

type cleanOutput struct {
	Agents   []string `json:"agents"`
	Sessions int64    `json:"sessions"`
	Database int64    `json:"database"`
	Freed    int64    `json:"freed"`
}

func (a *app) cmdDu() *cobra.Command {
	prune := false
	c := a.command("du", "What of the home uses how much of the disk, and what could be freed", 0, 0, func(ctx context.Context, _ []string) error {
		if prune {
			return tool(ctx, a, "daemon.clean", anything{}, showCleaned)
		}
		return tool(ctx, a, "daemon.du", anything{}, a.showDu)
	})
	c.Flags().BoolVar(&prune, "prune", false, "remove what nothing needs: old versions of agents, folders of ended sessions, empty pages of the database")
	return c
}

func (a *app) showDu(out duOutput) string {
	rows := make([][]string, 0, len(out.Uses))
	for _, u := range out.Uses {
		name := u.Class
		if u.Within != "" {
			name = "  " + name
		}
		free := ""
		if u.Freeable > 0 {
			free = bytesOf(u.Freeable)
		}
		rows = append(rows, []string{name, bytesOf(u.Bytes), free, u.How})
	}
	table := view.Table(a.dataStyle(), []string{"WHAT", "SIZE", "TO FREE", "HOW"}, rows)
	return strings.TrimRight(table, "\n") + "\n\n" + roomLine(out.Room) + "\n"
}

func showCleaned(out cleanOutput) string {
	what := []string{}
	if len(out.Agents) > 0 {
		what = append(what, strings.Join(out.Agents, ", "))
	}
	if out.Sessions > 0 {
		what = append(what, "folders of ended sessions")
	}
	if out.Database > 0 {
		what = append(what, bytesOf(out.Database)+" of the database")
	}
	if len(what) == 0 {
		return done("there was nothing to remove")
	}
	return done("freed %s: %s", bytesOf(out.Freed), strings.Join(what, "; "))
}

func roomLine(r roomShape) string {
	s := fmt.Sprintf("%s free of %s", bytesOf(r.Free), bytesOf(r.Total))
	if r.Budget > 0 {
		s += fmt.Sprintf("; the home takes %s of its budget of %s", bytesOf(r.Used), bytesOf(r.Budget))
	}
	return s
}

// roomCheck is doctor's line about the disk.
func roomCheck(r roomShape) check {
	c := check{"room", checkOK, roomLine(r), ""}
	switch {
	case r.Parked > 0:
		c.State, c.Detail = checkBad, fmt.Sprintf("the disk is full: %d threads wait for room; %s", r.Parked, c.Detail)
		c.Hint = "Make room; they go on by themselves. `vyre du` says what uses how much."
	case r.Level == "full":
		c.State, c.Detail = checkBad, "too little room for a new session: "+c.Detail
		c.Hint = "Make room, or lower [retention] free_floor_mb. `vyre du` says what uses how much."
	case r.Level == "near", r.Level == "over":
		c.State = checkNote
		c.Hint = "`vyre du` says what uses how much, `vyre du --prune` removes what nothing needs."
	case r.Level == "":
		return check{"room", checkNote, "this daemon does not say", ""}
	}
	return c
}
