package vyre

import (
	"fmt"
	"strings"
	"time"
)

// Time is a moment in milliseconds since the Unix epoch. In JSON it is RFC 3339
// in UTC with exactly three decimals, or null for zero. It is for people to
// read: nothing is ever ordered by it (order is by Seq).
type Time int64

const timeFormat = "2006-01-02T15:04:05.000Z"

// At converts a clock reading.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Std converts back, in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

func (t Time) String() string { return t.Std().Format(timeFormat) }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		*t = 0
		return nil
	}
	p, err := time.Parse(time.RFC3339, strings.Trim(s, `"`))
	if err != nil {
		return fmt.Errorf("a time must be RFC 3339: %w", err)
	}
	*t = At(p)
	return nil
}
