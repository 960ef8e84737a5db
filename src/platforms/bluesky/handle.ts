const HANDLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HANDLE_LENGTH = 253;
/** atproto.com/specs/handle; `.test` is for development. */
const FORBIDDEN_TLD = /\.(?:alt|arpa|example|internal|invalid|local|localhost|onion)$/;

export function isHandle(text: string): boolean {
  return text.length <= MAX_HANDLE_LENGTH && HANDLE.test(text) && !FORBIDDEN_TLD.test(text);
}
