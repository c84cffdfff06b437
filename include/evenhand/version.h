#pragma once

#define EVENHAND_VERSION "0.1.0"
