export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly createdAt: number;
}
