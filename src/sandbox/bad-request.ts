/** An invalid request to the sandbox's own routes; the message is shown to the caller. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
