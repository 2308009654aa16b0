/** Apart from what exports, because it is said too where that could not be loaded. */
export const EXPORT_FAILED = 'Erro ao exportar dados'
