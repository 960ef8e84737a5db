/** Thrown for an invalid request to the sandbox's own routes. The caller sees the message. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
