export interface TestUser {
  /** The user's id, larger than 2^53 and odd, so that reading it as a JSON number changes its last digit. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: { id: "17841405793187219", username: "ada_threads", name: "Ada Example" },
  ben: { id: "17841405793187333", username: "ben_threads", name: "Ben Example" },
};
