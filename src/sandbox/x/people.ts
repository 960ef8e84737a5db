export interface Person {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  /** Decides the long-post and long-video limits; told to the person's own token alone. */
  readonly subscription: "None" | "Basic" | "Premium" | "PremiumPlus";
}

export const PEOPLE: Readonly<Record<string, Person>> = {
  ada: { id: "2244994945", name: "Ada Example", username: "ada_example", subscription: "Premium" },
  ben: { id: "2244994946", name: "Ben Example", username: "ben_example", subscription: "None" },
};

export const isPremium = (person: Person): boolean => person.subscription !== "None";

export function personOf(id: string): Person | undefined {
  return Object.values(PEOPLE).find((person) => person.id === id);
}
