// Importers of the services also see the stores and the values that their functions name.
@_exported public import Domain
@_exported public import Ports
@_exported public import Product
@_exported public import Storage
