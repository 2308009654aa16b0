/** What both human-verification widgets can be asked for. */
export interface HumanWidget {
  /**
   * Gets an answer: waits for one under way, or starts where no person is needed.
   * @returns undefined when there is none, because it failed or waits for the person
   */
  solve: () => Promise<string | undefined>
  /** Forgets the answer and shows the widget untouched. */
  reset: () => void
}

export interface HumanWidgetProps {
  /** Receives the widget when it is ready, null when it goes. */
  ref: React.RefCallback<HumanWidget>
  /** A new answer, as soon as there is one. */
  onAnswer: (answer: string) => void
  /** The answer is no longer good. */
  onExpire: () => void
  /** The widget could not do its work; the message says so in plain Portuguese. */
  onFailure: (message: string) => void
}
