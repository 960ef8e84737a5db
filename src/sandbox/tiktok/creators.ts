export interface Creator {
  readonly openId: string;
  readonly username: string;
  readonly nickname: string;
  readonly isPrivate: boolean;
  readonly maxSeconds: number;
  readonly duetDisabled: boolean;
}

export const CREATORS: Readonly<Record<string, Creator>> = {
  ada: {
    openId: "_000ada",
    username: "ada_moves",
    nickname: "Ada",
    isPrivate: false,
    maxSeconds: 600,
    duetDisabled: false,
  },
  ben: {
    openId: "_000ben",
    username: "ben_alone",
    nickname: "Ben",
    isPrivate: true,
    maxSeconds: 300,
    duetDisabled: true,
  },
};

export const privacyOptions = (creator: Creator): readonly string[] =>
  creator.isPrivate
    ? ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    : ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];
