export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  /** Decides the limits for long posts and videos; only the user's own token can read it. */
  readonly subscription: "None" | "Basic" | "Premium" | "PremiumPlus";
}

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: { id: "2244994945", name: "Ada Example", username: "ada_example", subscription: "Premium" },
  ben: { id: "2244994946", name: "Ben Example", username: "ben_example", subscription: "None" },
};

export const isPremium = (user: TestUser): boolean => user.subscription !== "None";

export function findTestUser(id: string): TestUser | undefined {
  return Object.values(TEST_USERS).find((user) => user.id === id);
}
