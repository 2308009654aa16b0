import * as z from 'zod/mini'
import { ESTADOS, MARCAS, TYPES } from './entitlements.ts'

// Apart from the names themselves, which the browser has without zod.
export const typeSchema = z.enum(TYPES)
export const marcaSchema = z.enum(MARCAS)
export const estadoSchema = z.enum(ESTADOS)
