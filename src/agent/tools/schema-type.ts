/** The type of the values that a JSON Schema allows, for tools that are written in TypeScript. */
import type { Json, JsonObject } from "../../util/json.ts";

/** JSON Schema of an object, as a constant. */
export interface ObjectSchema extends JsonObject {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}

type ValueOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Kind)[] }
      ? ValueOf<Kind>
      : S extends { readonly type: "string" }
        ? string
        : S extends { readonly type: "number" | "integer" }
          ? number
          : S extends { readonly type: "boolean" }
            ? boolean
            : S extends { readonly type: "null" }
              ? null
              : S extends { readonly type: "array"; readonly items: infer Item }
                ? readonly ValueOf<Item>[]
                : S extends ObjectSchema
                  ? InputOf<S>
                  : Json;

type RequiredNames<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

export type InputOf<S extends ObjectSchema> = {
  readonly [Name in keyof S["properties"] & RequiredNames<S>]: ValueOf<S["properties"][Name]>;
} & {
  readonly [Name in Exclude<keyof S["properties"], RequiredNames<S>>]?: ValueOf<S["properties"][Name]>;
};
