import type { ComponentType, JSX } from "preact";
import { connection } from "../api/live.ts";
import { PAGES, type PageProps } from "../pages/pages.ts";
import { useLoad } from "../state/use-load.ts";
import { Empty, Failure, Skeleton } from "../ui/list/states.tsx";
import { PageFrame } from "../ui/page/page-frame.tsx";

export interface LazyPageProps extends PageProps {
  readonly name: string;
}

export function LazyPage({ name, query }: LazyPageProps): JSX.Element {
  const page = PAGES.find((known) => known.name === name);
  const load = useLoad<ComponentType<PageProps>>(page ? name : null, () =>
    page ? page.load() : Promise.reject(new Error(name)),
  );
  if (!page)
    return (
      <PageFrame title="Not found">
        <Empty title="There is no such page">
          <a href="#/">Back to the conversations</a>
        </Empty>
      </PageFrame>
    );
  if (load.value) {
    const Shown = load.value;
    return <Shown query={query} />;
  }
  return (
    <PageFrame title={page.title}>
      {load.error === undefined ? (
        <Skeleton />
      ) : (
        <Failure
          what="This page could not be loaded"
          error="The gateway does not answer, or it has been updated."
          // After an update the files of this page have other names.
          onRetry={() => (connection.value === "open" ? location.reload() : load.reload())}
        />
      )}
    </PageFrame>
  );
}
