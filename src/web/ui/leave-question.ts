/** What a screen asks before somebody signs out of it, where that would lose something; true keeps them there. */
export const leaveQuestion: { ask?: (() => Promise<boolean>) | undefined } = {}
