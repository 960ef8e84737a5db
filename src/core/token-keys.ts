/** The members of the configuration that contain the service's own keys. */
export interface TokenKeys {
  /** A JSON object from key id to a base64 key of 256 bits. */
  readonly tokenKeys: string;
  readonly tokenKeyId: string;
}

/** The service's keys by id. Null if the setting is not a JSON object. */
export function parseTokenKeys({ tokenKeys }: TokenKeys): Readonly<Record<string, unknown>> | null {
  try {
    const keys: unknown = JSON.parse(tokenKeys);
    return typeof keys === "object" && keys !== null ? (keys as Record<string, unknown>) : null;
  } catch {
    // Do not pass the parser's error on, because its message would contain the keys.
    return null;
  }
}
