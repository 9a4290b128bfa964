import { createHash } from "node:crypto";

/** The only style of the document, allowed by its hash. It contains nothing of the conversation. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1d2126;--dim:#5c6672;--paper:#fff;--line:#d9dee4;--user:#eef4ff;--soft:#f5f7f9;--mark:#2457c5;--bad:#a4262c}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--dim:#9aa5b1;--paper:#14171a;--line:#333a42;--user:#1b2740;--soft:#1d2226;--mark:#8db2ff;--bad:#ff9a9a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:2px solid var(--line)}
h3{font-size:.95rem;margin:0;display:inline}
a{color:var(--mark)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0;font-size:.9rem}
dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
.tree,.tree ul{list-style:none;padding-left:1.1rem;border-left:2px solid var(--line)}
.tree{margin:.5rem 0 0;padding-left:.75rem}
article,aside{margin:1rem 0;padding:.7rem .9rem;border:1px solid var(--line);border-radius:.6rem}
article.user{background:var(--user)}
aside{border-style:dashed;background:var(--soft)}
.meta{color:var(--dim);font-size:.8rem;margin-left:.5rem}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;margin:.4rem 0 0}
pre{margin:.5rem 0 0;padding:.6rem .75rem;background:var(--soft);border:1px solid var(--line);border-radius:.4rem;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
article.user pre{background:var(--paper)}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--dim);font-size:.9rem}
.bad{color:var(--bad)}
.fork{color:var(--dim);font-size:.9rem;margin:.5rem 0 0 .25rem}
img{display:block;max-width:100%;height:auto;margin:.5rem 0 0;border-radius:.4rem}
@media print{body{font-size:11pt}main{max-width:none;padding:0}article,aside{break-inside:avoid-page}details::details-content{content-visibility:visible;height:auto}}
`;

/** No script, no request: only the content of the file is shown. */
export const POLICY: string = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; img-src data:`;
