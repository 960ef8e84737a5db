/** An answer of the API that refuses a call, with Cloudflare's number. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
