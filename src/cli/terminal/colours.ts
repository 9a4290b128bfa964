/** Whether to use colours: as the user wants, or where there is a terminal that has them. */
import { styleText } from "node:util";
import { invalid } from "../../errors.ts";

export type Style = "bold" | "dim" | "green" | "yellow" | "red" | "cyan";

const CHOICES = ["auto", "always", "never"] as const;
type Choice = (typeof CHOICES)[number];

/** Of the whole process: warnings are reported by code that does not know the command line. */
let choice: Choice = "auto";

/** The value of `--color`. */
export function chooseColours(text: string): void {
  const known = CHOICES.find((word) => word === text);
  if (known === undefined) throw invalid(`--color must be auto, always or never, not "${text}"`, "color");
  choice = known;
}

export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return hasColours(stream) ? styleText(style, text, { validateStream: false }) : text;
}

export function hasColours({ isTTY }: NodeJS.WriteStream): boolean {
  if (choice !== "auto") return choice === "always";
  return isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
}

const ROLES: Readonly<Record<string, Style>> = { user: "cyan", assistant: "green", system: "yellow" };

/** Roles are told apart by colour; everything else recedes. */
export function roleStyle(role: string | undefined): Style {
  return (role !== undefined && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined) ?? "dim";
}
