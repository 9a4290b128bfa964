/** A tree of Markdown as elements of ours. Every node becomes one that is listed here, or its text. */
import type { Definition, FootnoteDefinition, Nodes, Root, Table } from "mdast";
import type { ComponentChildren, JSX } from "preact";
import { CodeBlock } from "./code-block.tsx";
import { isMessageLink, safeLink } from "./safe-link.ts";

interface Notes {
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly footnotes: readonly FootnoteDefinition[];
}

export function renderTree(tree: Root): JSX.Element {
  const notes: Notes = {
    definitions: new Map(
      tree.children.flatMap((node) => (node.type === "definition" ? [[node.identifier, node] as const] : [])),
    ),
    footnotes: tree.children.filter((node) => node.type === "footnoteDefinition"),
  };
  return (
    <>
      {children(tree, notes)}
      {notes.footnotes.length > 0 && (
        <ol class="footnotes">
          {notes.footnotes.map((note) => (
            <li key={note.identifier}>{children(note, notes)}</li>
          ))}
        </ol>
      )}
    </>
  );
}

function children(node: { readonly children: readonly Nodes[] }, notes: Notes): ComponentChildren {
  return node.children.map((child, index) => <Node key={index} node={child} notes={notes} />);
}

function Node({ node, notes }: { readonly node: Nodes; readonly notes: Notes }): ComponentChildren {
  switch (node.type) {
    case "text":
    case "html":
      return node.value;
    case "paragraph":
      return <p dir="auto">{children(node, notes)}</p>;
    case "heading":
      return <Heading depth={node.depth}>{children(node, notes)}</Heading>;
    case "emphasis":
      return <em>{children(node, notes)}</em>;
    case "strong":
      return <strong>{children(node, notes)}</strong>;
    case "delete":
      return <del>{children(node, notes)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return <CodeBlock text={node.value} language={node.lang ?? null} />;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "blockquote":
      return <blockquote>{children(node, notes)}</blockquote>;
    case "list":
      return node.ordered ? (
        <ol start={node.start ?? 1}>{children(node, notes)}</ol>
      ) : (
        <ul>{children(node, notes)}</ul>
      );
    case "listItem":
      return (
        <li class={typeof node.checked === "boolean" ? "task" : undefined} dir="auto">
          {typeof node.checked === "boolean" && (
            <input
              type="checkbox"
              checked={node.checked}
              disabled
              aria-label={node.checked ? "Done" : "Open"}
            />
          )}
          {children(node, notes)}
        </li>
      );
    case "table":
      return <TableView node={node} notes={notes} />;
    case "link":
      return <Link address={node.url}>{children(node, notes)}</Link>;
    case "linkReference":
      return <Link address={notes.definitions.get(node.identifier)?.url}>{children(node, notes)}</Link>;
    case "image":
      return <RemoteImage address={node.url} alt={node.alt ?? ""} />;
    case "imageReference":
      return <RemoteImage address={notes.definitions.get(node.identifier)?.url} alt={node.alt ?? ""} />;
    case "footnoteReference":
      return <sup>{notes.footnotes.findIndex(({ identifier }) => identifier === node.identifier) + 1}</sup>;
    case "definition":
    case "footnoteDefinition":
      return null;
    default:
      return "children" in node ? children(node, notes) : "value" in node ? node.value : null;
  }
}

/** Below the headings of the page. */
function Heading({
  depth,
  children: words,
}: {
  readonly depth: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  if (depth === 1) return <h3 class="h1">{words}</h3>;
  if (depth === 2) return <h4 class="h2">{words}</h4>;
  return <h5 class="h3">{words}</h5>;
}

function TableView({ node, notes }: { readonly node: Table; readonly notes: Notes }): JSX.Element {
  const [head, ...rows] = node.children;
  return (
    <div class="table-scroll">
      <table>
        {head && (
          <thead>
            <tr>
              {head.children.map((cell, index) => (
                <th key={index} class={node.align?.[index] ?? undefined}>
                  {children(cell, notes)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.children.map((cell, index) => (
                <td key={index} class={node.align?.[index] ?? undefined}>
                  {children(cell, notes)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LinkProps {
  readonly address: string | undefined;
  readonly children: ComponentChildren;
}

/** Other addresses stay words. */
function Link({ address = "", children: words }: LinkProps): JSX.Element {
  const href = safeLink(address);
  if (href === undefined) return <span title={address}>{words}</span>;
  if (isMessageLink(href)) return <a href={href}>{words}</a>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {words}
    </a>
  );
}

/** Only on click, and elsewhere: loading it here would tell its server that this was read. */
function RemoteImage({
  address = "",
  alt,
}: {
  readonly address: string | undefined;
  readonly alt: string;
}): JSX.Element {
  const href = safeLink(address);
  const host = href === undefined || href.startsWith("mailto:") ? undefined : new URL(href).host;
  if (host === undefined) return <span title={address}>{alt || address}</span>;
  return (
    <a class="remote-image" href={href} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      Image{alt && `: ${alt}`} <span class="quiet">(open on {host})</span>
    </a>
  );
}
