import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type Look = "primary" | "danger" | "plain";

export interface ButtonProps {
  readonly icon?: IconName;
  readonly look?: Look;
  readonly small?: boolean;
  readonly disabled?: boolean;
  readonly submit?: boolean;
  readonly title?: string;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children: ComponentChildren;
}

export function Button({ icon, look, small, submit, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button type={submit ? "submit" : "button"} class={classes("button", look, small && "small")} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps {
  readonly icon: IconName;
  /** Said by screen readers, and shown on hover. */
  readonly name: string;
  readonly keys?: string;
  readonly small?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly class?: string;
  readonly onClick?: (event: MouseEvent) => void;
}

export function IconButton(props: IconButtonProps): JSX.Element {
  const { icon, name, keys, small, pressed, onClick, disabled } = props;
  return (
    <button
      type="button"
      class={classes("button plain icon", small && "small", props.class)}
      aria-label={name}
      title={keys ? `${name} (${keys})` : name}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(disabled && { disabled })}
      {...(onClick && { onClick })}
    >
      <Icon name={icon} />
    </button>
  );
}

export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
