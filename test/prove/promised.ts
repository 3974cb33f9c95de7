/** Something that keyrank promises its users, and how to find out whether it is true. */
export interface Promised {
  /** One line, unique among all. */
  readonly name: string;
  /** The figure that was promised. */
  readonly goal: string;
  run(trial: Trial): Promise<Finding>;
}

export interface Trial {
  /** Whatever is random follows from it, so that a finding can be repeated. */
  readonly seed: number;
  /** Smaller sizes, for every change. */
  readonly quick: boolean;
  /** Says how far it is; for long work. */
  readonly report: (text: string) => void;
}

export interface Finding {
  readonly kept: boolean;
  /** What was measured, and what broke the promise if it is broken. */
  readonly figure: string;
}
