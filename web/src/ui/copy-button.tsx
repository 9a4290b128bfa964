import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";
import { copyText } from "./copy-text.ts";
import type { IconName } from "./icon.tsx";
import { showProblem } from "./toast.tsx";

const SHOWN_MS = 1500;

export interface CopyButtonProps {
  readonly name: string;
  readonly icon?: IconName;
  /** Called when it is pressed. */
  text(): string | Promise<string>;
}

/** Shows a tick for a moment. */
export function CopyButton({ name, icon = "copy", text }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    Promise.resolve(text())
      .then(copyText)
      .then(
        () => setCopied(true),
        (error) => showProblem("It was not copied", error),
      );
  };
  return <IconButton small icon={copied ? "check" : icon} name={copied ? "Copied" : name} onClick={copy} />;
}
