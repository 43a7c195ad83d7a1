// A scripted peer of the page: it speaks the HTTP door's conventions (tools,
// error envelopes, the event stream with its resume message and heartbeats,
// sign-in) over a small model of threads. Tests drive the model directly.
//
//   node test/peer.mjs [port]     serves the built page with the example scene

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { Model } from "./peer/model.mjs";
import { scene } from "./peer/scene.mjs";

const root = fileURLToPath(new URL("../static/", import.meta.url));
const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
  ".woff2": "font/woff2", ".svg": "image/svg+xml",
};

/** The policy that the Go package exports, so that both test the same words. */
export function policy() {
  const go = readFileSync(new URL("../embed.go", import.meta.url), "utf8");
  const value = go.slice(go.indexOf("const Policy = ") + 15, go.indexOf("//go:embed"));
  return [...value.matchAll(/"([^"]*)"/g)].map((m) => m[1]).join("");
}

export async function startPeer({ port = 0, signedIn = false, model = new Model() } = {}) {
  const csp = policy();
  const state = { codes: new Set(["good-code"]), sessions: new Map(signedIn ? [["test", "test-proof"]] : []), down: false, streams: new Set(), heartbeat: 15_000 };

  const json = (res, status, body) => {
    res.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    res.end(JSON.stringify(body));
  };
  const fail = (res, status, code, message, details = {}) =>
    json(res, status, { error: { code, message, hint: "Look at the message.", retryable: status >= 429, details } });
  // A session is a cookie and a proof, as the door has it.
  const cookieOf = (req) => /vyre=([^;]+)/.exec(req.headers.cookie ?? "")?.[1];
  const known = (req) => {
    const proof = state.sessions.get(cookieOf(req));
    return proof !== undefined && req.headers["vyre-proof"] === proof;
  };

  function file(req, res) {
    const path = normalize(new URL(req.url, "http://x").pathname);
    const name = extname(path) in types ? path : "/index.html";
    try {
      const bytes = readFileSync(join(root, name));
      res.writeHead(200, { "content-type": types[extname(name)], "content-security-policy": csp });
      res.end(bytes);
    } catch {
      res.writeHead(404).end();
    }
  }

  function events(req, res) {
    const after = Number(new URL(req.url, "http://x").searchParams.get("after") ?? 0);
    const { log } = model;
    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const gap = log.isGap(after);
    res.write(`event: resume\ndata: ${JSON.stringify({ status: gap ? "gap" : "ok", head: log.head, floor: log.floor })}\n\n`);
    if (gap) return res.end();
    const write = (evs) => res.write(evs.map((e) => `id: ${e.seq}\ndata: ${JSON.stringify(e)}\n\n`).join(""));
    const old = log.since(after);
    if (old.length) write(old);
    const beat = setInterval(() => res.write(": heartbeat\n\n"), state.heartbeat);
    log.readers.add(write);
    state.streams.add(res);
    res.on("close", () => {
      clearInterval(beat);
      log.readers.delete(write);
      state.streams.delete(res);
    });
  }

  async function post(req, res) {
    let raw = "";
    for await (const c of req) raw += c;
    const input = raw ? JSON.parse(raw) : {};
    if (req.url === "/v1/sign-in") {
      if (!state.codes.delete(input.code)) return fail(res, 401, "unauthenticated", "This code was used or is too old.");
      state.sessions.set("test", "test-proof");
      res.setHeader("set-cookie", "vyre=test; HttpOnly; SameSite=Strict; Path=/");
      return json(res, 200, { person: "owner", proof: "test-proof" });
    }
    if (!known(req)) return fail(res, 401, "unauthenticated", "Sign in first.");
    if (req.url === "/v1/sign-out") {
      state.sessions.delete(cookieOf(req));
      for (const s of state.streams) s.destroy();
      res.setHeader("set-cookie", "vyre=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/");
      return json(res, 200, { ok: true });
    }
    const tool = req.url.replace("/v1/tools/", "");
    model.calls.push({ tool, input });
    try {
      return json(res, 200, await model.call(tool, input));
    } catch (e) {
      if (!e.code) throw e;
      return fail(res, e.status, e.code, e.message, e.details);
    }
  }

  const server = createServer((req, res) => {
    if (state.down) return void req.socket.destroy();
    if (!req.url.startsWith("/v1/")) return file(req, res);
    if (req.method === "POST") return void post(req, res);
    if (!known(req)) return fail(res, 401, "unauthenticated", "Sign in first.");
    return events(req, res);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));

  return {
    model,
    state,
    url: `http://localhost:${server.address().port}`,
    /** Cuts every stream; with down, nothing answers until it is up again. */
    cut(down = false) {
      state.down = down;
      for (const s of state.streams) s.destroy();
    },
    up() {
      state.down = false;
    },
    async stop() {
      for (const s of state.streams) s.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const model = new Model();
  scene(model);
  const peer = await startPeer({ port: Number(process.argv[2] ?? 7798), model });
  console.log(`${peer.url}/sign-in#code=good-code`);
}
