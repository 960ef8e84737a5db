/** Something the caller of the sandbox got wrong, in a sentence. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
