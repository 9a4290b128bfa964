import type { ComponentChildren, JSX } from "preact";
import { isAdmin } from "../../api/session.ts";
import { Empty } from "../list/states.tsx";
import { PageFrame } from "./page-frame.tsx";

export interface AdminsOnlyProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page whose requests the gateway refuses to others. */
export function AdminsOnly({ title, children }: AdminsOnlyProps): JSX.Element {
  if (isAdmin()) return <>{children}</>;
  return (
    <PageFrame title={title}>
      <Empty title="Only for admins">
        <p>This page takes a sign-in with the permission admin.</p>
      </Empty>
    </PageFrame>
  );
}
