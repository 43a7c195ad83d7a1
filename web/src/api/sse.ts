// Splits a server-sent event stream into messages, as the HTML standard says:
// lines end in LF, CR or CRLF, a blank line ends a message, ":" begins a comment.

export interface Message {
  event: string;
  data: string;
}

export function sseParser(onMessage: (m: Message) => void) {
  let rest = "";
  let event = "";
  let data: string[] = [];

  function line(text: string) {
    if (text === "") {
      if (data.length) onMessage({ event: event || "message", data: data.join("\n") });
      event = "";
      data = [];
      return;
    }
    const at = text.indexOf(":");
    if (at === 0) return; // a heartbeat
    const field = at < 0 ? text : text.slice(0, at);
    let value = at < 0 ? "" : text.slice(at + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
  }

  return (chunk: string) => {
    rest += chunk;
    let from = 0;
    for (let i = 0; i < rest.length; i++) {
      const c = rest.charCodeAt(i);
      if (c !== 10 && c !== 13) continue;
      if (c === 13 && i + 1 === rest.length) break; // its LF may still come
      line(rest.slice(from, i));
      if (c === 13 && rest.charCodeAt(i + 1) === 10) i++;
      from = i + 1;
    }
    rest = rest.slice(from);
  };
}
