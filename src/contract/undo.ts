import * as z from 'zod/mini'

/** For the undo of a thing's change, within a day; null where nothing changed. */
export const undoable = { undoId: z.nullable(z.uuid()) }
export type Undoable = z.output<z.ZodMiniObject<typeof undoable>>
