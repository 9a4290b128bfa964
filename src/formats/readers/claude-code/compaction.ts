import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { listIn, numberIn, objectIn, textIn } from "../../../util/values.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { type Line, textOf, timeOf, uuidIn } from "./line.ts";
import type { Links } from "./links.ts";

/**
 * One entry for a boundary and the summary after it. Either may be missing:
 * the program was stopped between them, or an early version wrote no boundary.
 */
export function compactionOf(
  boundary: Line | undefined,
  summary: Line | undefined,
  links: Links,
): SourceEntry {
  const lines = [boundary, summary].filter((line) => line !== undefined);
  const [first, ...others] = lines;
  const aliases = others.flatMap(({ uuid }) => uuid ?? []);
  return {
    id: first?.uuid ?? "",
    parent: parentOf(boundary, summary, links),
    ...(aliases.length === 0 ? {} : { aliases }),
    kind: "compaction",
    at: timeOf(first),
    data: dataOf(boundary, summary, links),
    records: lines.map(({ record }) => record),
  };
}

/** A boundary has no parent in the chain; another property names the real one. */
function parentOf(
  boundary: Line | undefined,
  summary: Line | undefined,
  links: Links,
): string | null | undefined {
  if (boundary === undefined) return links.resolve(summary?.parent ?? null);
  const parent = uuidIn(boundary.value.logicalParentUuid) ?? boundary.parent ?? undefined;
  return parent === undefined ? undefined : links.resolve(parent);
}

function dataOf(boundary: Line | undefined, summary: Line | undefined, links: Links): JsonObject {
  const metadata = metadataOf(boundary);
  const head = preservedOf(boundary)[0];
  return {
    summary: summary === undefined ? "" : textOf(summary),
    strategy: "claude-code",
    first_kept: head === undefined ? null : links.resolve(head),
    ...defined({
      tokens_before: numberIn(metadata.preTokens),
      tokens_after: numberIn(metadata.postTokens),
      trigger: textIn(metadata.trigger),
    }),
  };
}

function metadataOf(boundary: Line | undefined): JsonObject {
  return objectIn(boundary?.value.compactMetadata) ?? {};
}

/** The first and last message that stayed in the context, or all of them. */
function preservedOf(boundary: Line | undefined): string[] {
  const { preservedSegment, preservedMessages } = metadataOf(boundary);
  const segment = objectIn(preservedSegment);
  const ids: readonly (Json | undefined)[] =
    segment === undefined ? listIn(objectIn(preservedMessages)?.uuids) : [segment.headUuid, segment.tailUuid];
  return ids.flatMap((id) => uuidIn(id) ?? []);
}

/**
 * Messages that stayed in the context count as following the summary: a child
 * of the last of them follows the compaction.
 */
export function linkPreserved(boundary: Line, links: Links): void {
  const tail = preservedOf(boundary).at(-1);
  if (tail === undefined || boundary.uuid === undefined) return;
  const entry = links.resolve(tail);
  if (entry !== null && entry !== boundary.uuid) links.set(entry, boundary.uuid);
}
