package daemon

// sites lists the origins of the page: this machine's own first.
func (h *house) sites() []string { return []string{h.http.URL()} }
