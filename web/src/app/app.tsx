import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { session } from "../api/session.ts";
import { checkSession, sessionProblem } from "../sign-in/check-session.ts";
import { SignIn } from "../sign-in/sign-in.tsx";
import { useCell } from "../state/cell.ts";
import { Failure, Skeleton } from "../ui/list/states.tsx";
import { Toasts } from "../ui/toast.tsx";
import { Shell } from "./shell.tsx";

export interface AppProps {
  /** Of a sign-in link. */
  readonly code: string | undefined;
}

export function App({ code }: AppProps): JSX.Element {
  const state = useCell(session);
  const problem = useCell(sessionProblem);
  useEffect(() => {
    void checkSession(code);
  }, []);
  return (
    <>
      {state ? (
        state.signedIn ? (
          <Shell />
        ) : (
          <SignIn state={state} />
        )
      ) : problem === undefined ? (
        <Skeleton />
      ) : (
        <Failure what="The gateway cannot be reached" error={problem} onRetry={() => void checkSession()} />
      )}
      <Toasts />
    </>
  );
}
