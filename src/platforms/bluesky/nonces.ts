/** So many servers are remembered; a new one takes the place of the one that was heard of longest ago. */
const ORIGINS_MAX = 200;

/**
 * The newest nonce that each server of accounts gave out, for all calls of this isolate: a server refuses a call without one (RFC 9449, 8 and 9),
 * so that a post would reach it only with its second request. A nonce belongs to the server and not to a login, and is no secret;
 * one that is too old is answered with a new one.
 */
class Nonces {
  private readonly newest = new Map<string, string>();

  get(origin: string): string | undefined {
    return this.newest.get(origin);
  }

  set(origin: string, nonce: string): void {
    this.newest.delete(origin);
    this.newest.set(origin, nonce);
    const [oldest] = this.newest.keys();
    if (this.newest.size > ORIGINS_MAX && oldest !== undefined) {
      this.newest.delete(oldest);
    }
  }

  clear(): void {
    this.newest.clear();
  }
}

export const accountServerNonces = new Nonces();
