/** An invalid request to the sandbox's own routes; the caller sees the message. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
