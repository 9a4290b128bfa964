export { type Claim, keyOfOlder, settleClaims } from "./copies.ts";
export { type DeliveryAddress, type DeliveryParams, deliveryAddress } from "./delivery.ts";
export { type DeriveKeyParams, deriveSessionKey, type RoutingContext } from "./derive.ts";
export { type KeyKind, type ParsedKey, parseSessionKey } from "./parse.ts";
export { resolveKeyPrefix } from "./prefix.ts";
export { type KeyConfig, type ResolveKeyParams, resolveSessionKey } from "./resolve.ts";
