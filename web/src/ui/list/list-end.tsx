import type { JSX } from "preact";
import type { Pages } from "../../state/use-pages.ts";
import { Button } from "../button.tsx";
import { End, Failure } from "./states.tsx";

export interface ListEndProps<T> {
  readonly pages: Pages<T>;
  /** Said after the last one. */
  readonly all: string;
}

/** After the last row: a button for more, why that failed, or that this is all. */
export function ListEnd<T>({ pages, all }: ListEndProps<T>): JSX.Element {
  if (pages.moreError !== undefined)
    return (
      <Failure what="The next ones could not be read" error={pages.moreError} onRetry={pages.readMore} />
    );
  if (!pages.hasMore) return <End>{all}</End>;
  return (
    <End>
      <Button disabled={pages.readingMore} onClick={pages.readMore}>
        {pages.readingMore ? "Reading …" : "Show more"}
      </Button>
    </End>
  );
}
