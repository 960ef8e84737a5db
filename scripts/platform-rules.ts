/** The members of `GET /v1/platforms` that the scripts read. */
export interface PlatformRules {
  readonly platform: string;
  readonly media: {
    readonly text_only: boolean;
    readonly images: { readonly max: number } | null;
    readonly videos: object | null;
  };
  readonly daily_caps: readonly { readonly count: number }[];
  readonly option_scopes: readonly { readonly option: string; readonly is_available: boolean }[];
  readonly options: { readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, unknown>> };
}

/** Options with which a platform accepts a post: the first board, and a text for everything else that it requires. */
export async function requiredOptions(
  rules: PlatformRules,
  accountId: string,
  get: (path: string) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const name of rules.options.required ?? []) {
    if (name === "board_ids") {
      const response = await get(`/accounts/${rules.platform}-boards?account_id=${accountId}`);
      const { boards } = response as { boards: readonly { id: string }[] };
      options[name] = boards.slice(0, 1).map((board) => board.id);
    } else {
      options[name] = "A square goes down";
    }
  }
  return options;
}
