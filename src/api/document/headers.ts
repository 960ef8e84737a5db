/** The headers of answers, under the names they have in the document. */
export const HEADERS = {
  RequestId: {
    description: "Names this call; the caller's own `X-Request-Id` (1 to 128 visible ASCII characters) is kept.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
    example: "01983c1e-9b4e-7d20-b1c5-5a2f0c9d7e63",
  },
  RateLimitPolicy: {
    description: "How many requests (`q`) the plan allows in a window of `w` seconds.",
    schema: { type: "string" },
    example: '"growth";q=300;w=60',
  },
  RateLimit: {
    description: "What remains (`r`) of the window and when it opens again (`t` seconds).",
    schema: { type: "string" },
    example: '"growth";r=0;t=60',
  },
  RetryAfter: {
    description: "Seconds to wait before the next try.",
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
    description: "Present when the answer is that of an earlier call with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
} as const;

type HeaderName = keyof typeof HEADERS;

/** Header fields to the names above, as references. */
export function headers(fields: Readonly<Record<string, HeaderName>>): Record<string, { $ref: string }> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, name]) => [field, { $ref: `#/components/headers/${name}` }]),
  );
}

export const ON_EVERY_ANSWER = { "X-Request-Id": "RequestId" } as const;
export const BEHIND_THE_GUARD = { ...ON_EVERY_ANSWER, "RateLimit-Policy": "RateLimitPolicy" } as const;
export const OF_A_WRITE = { ...BEHIND_THE_GUARD, "Idempotent-Replayed": "IdempotentReplayed" } as const;
export type HeaderFields = Parameters<typeof headers>[0];
