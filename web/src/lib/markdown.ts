// Renders Markdown as it streams. Text only ever becomes text nodes, so there is
// nothing to sanitise; addresses pass an allowlist; images are not loaded.

import * as smd from "streaming-markdown";

/** Addresses that a link may have. Everything else stays words. */
export function allowedLink(raw: string): string | undefined {
  try {
    const url = new URL(raw.trim());
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // relative addresses would point into this page
  }
}

const tags: Partial<Record<smd.Token, string>> = {
  [smd.BLOCKQUOTE]: "blockquote", [smd.PARAGRAPH]: "p", [smd.LINE_BREAK]: "br", [smd.RULE]: "hr",
  // A heading of the agent's is below the thread's own.
  [smd.HEADING_1]: "h2", [smd.HEADING_2]: "h3", [smd.HEADING_3]: "h4",
  [smd.HEADING_4]: "h5", [smd.HEADING_5]: "h6", [smd.HEADING_6]: "h6",
  [smd.ITALIC_AST]: "em", [smd.ITALIC_UND]: "em", [smd.STRONG_AST]: "strong", [smd.STRONG_UND]: "strong",
  [smd.STRIKE]: "s", [smd.CODE_INLINE]: "code", [smd.LINK]: "a", [smd.RAW_URL]: "a", [smd.IMAGE]: "span",
  [smd.LIST_UNORDERED]: "ul", [smd.LIST_ORDERED]: "ol", [smd.LIST_ITEM]: "li", [smd.TABLE_CELL]: "td",
  [smd.EQUATION_BLOCK]: "code", [smd.EQUATION_INLINE]: "code",
};

function element(tag: string, cls = ""): HTMLElement {
  const el = document.createElement(tag);
  if (cls) el.className = cls;
  return el;
}

function codeBlock(parent: HTMLElement): HTMLElement {
  const box = parent.appendChild(element("div", "code"));
  const pre = box.appendChild(element("pre"));
  pre.tabIndex = 0; // it scrolls by itself, so it must be reachable
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", "Code");
  return pre.appendChild(element("code"));
}

/** The head is put in when its row is complete: its cells would push each other about. */
const waiting = new WeakMap<HTMLElement, HTMLElement>();

function tableRow(table: HTMLElement): HTMLElement {
  const last = table.lastElementChild;
  if (!last) {
    const row = element("tr");
    element("thead").append(row);
    waiting.set(row, table);
    return row;
  }
  const body = last.tagName === "TBODY" ? last : table.appendChild(element("tbody"));
  return body.appendChild(element("tr"));
}

function close(el: HTMLElement) {
  const table = waiting.get(el);
  if (!table) return;
  waiting.delete(el);
  table.append(el.parentElement!);
}

function checkbox(): HTMLElement {
  const box = element("span", "check");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", "Not done");
  return box;
}

function open(parent: HTMLElement, token: smd.Token): HTMLElement {
  switch (token) {
    case smd.CODE_BLOCK:
    case smd.CODE_FENCE:
      return codeBlock(parent);
    case smd.TABLE: {
      const scroll = parent.appendChild(element("div", "tablebox"));
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "group");
      scroll.setAttribute("aria-label", "Table");
      return scroll.appendChild(element("table"));
    }
    case smd.TABLE_ROW:
      return tableRow(parent);
    case smd.TABLE_CELL:
      return parent.appendChild(element(parent.parentElement?.tagName === "THEAD" ? "th" : "td"));
    case smd.CHECKBOX:
      return parent.appendChild(checkbox());
    default:
      return parent.appendChild(element(tags[token] ?? "span"));
  }
}

function setAttr(el: HTMLElement, attr: smd.Attr, value: string) {
  if (attr === smd.HREF) {
    const href = allowedLink(value);
    if (!href) return;
    el.setAttribute("href", href);
    el.setAttribute("rel", "noreferrer noopener");
    el.setAttribute("target", "_blank");
    el.title = href.startsWith("mailto:") ? href : new URL(href).host;
  } else if (attr === smd.LANG) {
    el.closest("pre")?.setAttribute("aria-label", `Code, ${value}`);
  } else if (attr === smd.START) {
    el.setAttribute("start", value);
  } else if (attr === smd.CHECKED) {
    el.classList.add("on");
    el.setAttribute("aria-label", "Done");
  }
}

interface Data {
  nodes: HTMLElement[];
}

function renderer(root: HTMLElement): smd.Renderer<Data> {
  return {
    data: { nodes: [root] },
    add_token(d, token) {
      if (token !== smd.DOCUMENT) d.nodes.push(open(d.nodes[d.nodes.length - 1]!, token));
    },
    end_token(d) {
      if (d.nodes.length > 1) close(d.nodes.pop()!);
    },
    add_text(d, text) {
      const el = d.nodes[d.nodes.length - 1]!;
      const last = el.lastChild;
      if (last instanceof Text) last.appendData(text);
      else el.append(text);
    },
    set_attr: (d, attr, value) => setAttr(d.nodes[d.nodes.length - 1]!, attr, value),
  };
}

/** Keeps root showing text: appends what was added, begins anew when it was replaced. */
export function markdownInto(root: HTMLElement) {
  let parser: smd.Parser | undefined;
  let shown = "";
  let ended = false;
  return (text: string, done: boolean) => {
    if (!parser || ended || !text.startsWith(shown)) {
      if (ended && text === shown) return;
      root.replaceChildren();
      parser = smd.parser(renderer(root));
      shown = "";
      ended = false;
    }
    if (text.length > shown.length) smd.parser_write(parser, text.slice(shown.length));
    shown = text;
    if (done) {
      smd.parser_end(parser);
      ended = true;
    }
  };
}
