/** A deployment that cannot go on: what is wrong, and what the operator does next. */
export class DeployFailure extends Error {
  override readonly name = "DeployFailure";
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
