export interface TestUser {
  /** The app-scoped id. Posting needs `userId` instead. */
  readonly appScopedId: string;
  /** The account's id, larger than 2^53, so that a program that reads it as a JSON number rounds it. */
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly accountType: "BUSINESS" | "MEDIA_CREATOR" | "PERSONAL";
  readonly followers: number;
}

/** The number of followers that an account needs for trial reels. */
const TRIAL_REEL_MIN_FOLLOWERS = 1000;

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: {
    appScopedId: "24106780935621847",
    userId: "17841400008460057",
    username: "ada_pictures",
    name: "Ada Example",
    accountType: "BUSINESS",
    followers: 5200,
  },
  ben: {
    appScopedId: "24106780935621963",
    userId: "17841400008460063",
    username: "ben_at_home",
    name: "Ben Example",
    accountType: "PERSONAL",
    followers: 80,
  },
  cleo: {
    appScopedId: "24106780935622017",
    userId: "17841400008460069",
    username: "cleo_creates",
    name: "Cleo Example",
    accountType: "MEDIA_CREATOR",
    followers: 120,
  },
};

export const canPostTrialReels = (user: TestUser): boolean => user.followers >= TRIAL_REEL_MIN_FOLLOWERS;
export const isProfessional = (user: TestUser): boolean => user.accountType !== "PERSONAL";
