/** Response headers of the OpenAPI document, by component name. */
export const HEADERS = {
  RequestId: {
    description:
      "Identifies this call. A valid `X-Request-Id` of the caller (1 to 128 visible ASCII characters) is returned unchanged.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
    example: "01983c1e-9b4e-7d20-b1c5-5a2f0c9d7e63",
  },
  Version: {
    description: "The release of the service that answered: name it when you report a problem.",
    schema: { type: "string" },
    example: "1.0.0",
  },
  Workspace: {
    description: "The workspace in which the call worked.",
    schema: { type: "string", format: "uuid" },
    example: "01983c1e-6b00-7a10-8a33-2f9d1c5e4b77",
  },
  RateLimitPolicy: {
    description:
      "How many requests (`q`) the plan allows in a window of `w` seconds: with this credential, and (`…-user`) with all credentials of the user together.",
    schema: { type: "string" },
    example: '"growth";q=300;w=60, "growth-user";q=600;w=60',
  },
  RateLimit: {
    description: "How many requests remain (`r`) and in how many seconds the window resets (`t`).",
    schema: { type: "string" },
    example: '"growth";r=0;t=60',
  },
  RetryAfter: {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 1 },
    example: 60,
  },
  WwwAuthenticate: {
    description: "Where to get a token, and with which scopes (RFC 6750, RFC 9728).",
    schema: { type: "string" },
    example:
      'Bearer resource_metadata="https://almanac.example.org/.well-known/oauth-protected-resource/v1", scope="posts:read"',
  },
  IdempotentReplayed: {
    description: "Present when the response is that of an earlier call with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
} as const;

type HeaderName = keyof typeof HEADERS;

export function headerReferences(fields: Readonly<Record<string, HeaderName>>): Record<string, { $ref: string }> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, name]) => [field, { $ref: `#/components/headers/${name}` }]),
  );
}

export const COMMON_HEADERS = { "X-Request-Id": "RequestId", "Almanac-Version": "Version" } as const;
export const AUTHENTICATED_HEADERS = {
  ...COMMON_HEADERS,
  "Almanac-Workspace": "Workspace",
  "RateLimit-Policy": "RateLimitPolicy",
} as const;
export const WRITE_HEADERS = { ...AUTHENTICATED_HEADERS, "Idempotent-Replayed": "IdempotentReplayed" } as const;
export type HeaderFields = Parameters<typeof headerReferences>[0];
