// Package usage declares usage.get: what the turns of threads used, by day, model,
// project, thread or purpose.
//
// It owns the input and how a range of time is written. The sums are the store's,
// in SQL over an index: nothing is kept here. It must not know how a turn ends. It
// starts no goroutine. Test it through a registry with the store.
package usage
