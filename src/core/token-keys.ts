/** The two members of the configuration that hold the service's own keys. */
export interface TokenKeys {
  /** JSON object of key id to base64 key of 256 bits. */
  readonly tokenKeys: string;
  readonly tokenKeyId: string;
}

/** The keys by their ids; null if the text is no JSON object. */
export function parseTokenKeys({ tokenKeys }: TokenKeys): Readonly<Record<string, unknown>> | null {
  try {
    const keys: unknown = JSON.parse(tokenKeys);
    return typeof keys === "object" && keys !== null ? (keys as Record<string, unknown>) : null;
  } catch {
    // The message of the parser's error would contain the keys.
    return null;
  }
}
