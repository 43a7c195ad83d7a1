// Package api is what the HTTP and the socket door have in common: the routes
// under /v1, the event stream, the errors' form, and a server that ends in order.
//
// It owns the conventions of the wire. It must not know any tool, the store or
// how a caller is proven: each door hands in its own Bind.
//
// It starts no goroutine besides those of net/http; Serve returns after every
// handler did. An event stream gives each event once, in order, from its cursor;
// it is read from the feed at the reader's own pace and holds nothing but the
// cursor in between. It ends when its caller is no longer known (looked at every
// second of traffic and at each heartbeat), or when the door stops.
//
// To test against it, hand New a registry, a feed and a Bind that says who calls.
package api
