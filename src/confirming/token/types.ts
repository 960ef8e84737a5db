export interface PreviewResult<P> {
  readonly preview: P;
  readonly confirmationToken: string;
  readonly expiresAt: number;
}

export interface ConfirmInput {
  readonly confirmationToken: string;
}
