/// <reference types="vite/client" />
/// <reference types="altcha/types/global" />
/// <reference types="altcha/types/react" />
