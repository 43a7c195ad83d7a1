// Package httpdoor serves the page and the API on a TCP port.
//
// It owns what a browser makes necessary, in this order: an exact list of Host
// names (against DNS rebinding), its own check of where a request comes from
// (Origin, Sec-Fetch-Site), sign-in, and only then the tools. Loopback proves
// nothing: without a session there is the page, which holds no data, POST
// /v1/sign-in and /healthz. It must not know any tool or what the page does.
//
// A session is proven by two secrets. Cookies know neither ports nor origins on
// localhost: the session's is sent to whatever other server a person opens there,
// which could send it here again with headers of its choice. So each request
// needs the header Vyre-Proof too, whose value only our page has: sign-in
// answers it once, and the page keeps it in the storage of its own origin.
//
// It starts the goroutines of net/http; Run returns after they did. It keeps no
// state: sessions are identity's.
//
// To test against it, Listen on 127.0.0.1:0 and send requests.
package httpdoor
