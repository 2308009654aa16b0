/** Something that the person at the terminal can mend; the message is one readable Portuguese line. */
export class AdminError extends Error {}
