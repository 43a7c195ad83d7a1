//go:build !linux

package cgroup

import "context"

// Parent returns ErrNone: there are no control groups here.
func Parent() (string, error) { return "", ErrNone }

// Create returns ErrNone: there are no control groups here.
func Create(string, string) (Group, error) { return Group{}, ErrNone }

// End has nothing to do: no group was ever made here.
func (g Group) End(context.Context) error { return nil }

// Remove has nothing to do: no group was ever made here.
func (g Group) Remove() error { return nil }

// Bound sets nothing: no group was ever made here.
func (g Group) Bound(int64, int64) []string { return nil }

// Members is empty: no group was ever made here.
func (g Group) Members() ([]int, error) { return nil, nil }
